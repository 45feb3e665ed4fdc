"""Runs the tests of a module on the built programs: main.py MODULE PROGRAM…"""
import importlib
import os
import sys
import unittest


def main():
    sys.dont_write_bytecode = True
    module = importlib.import_module(sys.argv[1])
    programs = {os.path.basename(p): os.path.abspath(p) for p in sys.argv[2:]}
    suite = unittest.TestSuite()
    for case in vars(module).values():
        if isinstance(case, type) and issubclass(case, unittest.TestCase):
            case.programs = programs
            for test in unittest.defaultTestLoader.loadTestsFromTestCase(case):
                if os.environ.get('ONLY', '') in test.id():
                    suite.addTest(test)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(not result.wasSuccessful())


if __name__ == '__main__':
    main()
