"""Programs that are replaced while tasks run, and clients of other languages."""
import os
import shutil
import subprocess
import sys

from world import WorldTest, wait_for

EXAMPLE = os.path.join(os.path.dirname(__file__), '../../docs/examples/client.py')


class UpgradesTest(WorldTest):
    def install(self, name):
        """Returns copies of the programs in a folder of their own."""
        folder = os.path.join(self.world.root, name)
        os.mkdir(folder)
        copies = {}
        for program in ('troika-relay', 'troika-server'):
            copies[program] = shutil.copy2(self.programs[program], folder)
        return folder, copies

    def use(self, programs):
        self.world.programs = {**self.world.programs, **programs}
        self.world.env['TROIKA_RELAY_BIN'] = programs['troika-relay']
        self.world.env['TROIKA_SERVER_BIN'] = programs['troika-server']

    def test_a_new_server_takes_over_tasks_of_old_programs(self):
        old_folder, old = self.install('old')
        self.use(old)
        self.world.start()
        tasks = [self.world.create(
            'say Begun.\nsleep 3000\nsay Ended.\nok', harness=harness)
            for harness in ('codex', 'gemini')]
        live = self.world.create('say First.\nok\n== turn 2\nsay Second.\nok',
                                 harness='claude')
        self.world.wait_state(live, 'idle')
        for task in tasks:
            self.world.wait_state(task, 'running')
        # The new programs replace the old ones, which still run.
        _, new = self.install('new')
        shutil.rmtree(old_folder)
        self.use(new)
        self.world.restart()
        for task in tasks:
            self.world.wait_state(task, 'done')
            texts = [e['text']['text'] for e in self.world.events(task)
                     if 'text' in e]
            # Gemini's wire joins texts.
            self.assertEqual(''.join(texts), 'Begun.Ended.')
        # The old relay of the live agent takes input from the new server.
        self.world.api('POST', f'/tasks/{live}/input', {'text': 'more'})
        now = wait_for(lambda: (found := self.world.task(live))['turns'] == 2 and
                       found['state'] == 'idle' and found, 'the second turn')
        self.assertEqual(now['result']['text'], 'Second.')
        # And new tasks start.
        self.world.create_done()


class ExampleTest(WorldTest):
    def run_client(self, script, *args):
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script(script)
        self.world.start(listen='127.0.0.1:0')
        return subprocess.run(
            [sys.executable, EXAMPLE, *args], cwd=self.world.work,
            capture_output=True, text=True, timeout=60,
            env={**self.world.env, 'TROIKA_TOKEN': self.world.token(),
                 'TROIKA_URL': f'http://127.0.0.1:{self.world.port()}'})

    def test_the_client_allows_and_prints_the_answer(self):
        ran = self.run_client(
            'ask Bash {"command":"make test"}\nsay It passes.\nok', 'claude',
            'run the tests')
        self.assertEqual((ran.stdout, ran.returncode),
                         ('allowed: Bash make test\nIt passes.\n', 0), ran.stderr)

    def test_the_client_fails_with_the_turn(self):
        ran = self.run_client('fail No credit.', 'claude', 'run the tests')
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn('No credit.', ran.stdout)
