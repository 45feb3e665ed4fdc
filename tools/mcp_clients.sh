#!/usr/bin/env bash
# mcp_clients.sh [FLAG…]: runs the official MCP clients against `troika mcp` and
# POST /mcp, with fakes in place of the agents' CLIs. The last line is "N passed,
# N failed, N skipped".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

help() {
  cat <<'TEXT'
./dev mcp-clients [FLAG…]

Runs the official MCP clients, the Inspector and the conformance suite against
`troika mcp` and POST /mcp, with fakes in place of the agents' CLIs.

  --only WORD     only suites whose name holds it
  --report FILE   passed, failed and skipped checks, as JSON
  --config NAME   how the programs are built (asan)
TEXT
}

config=asan flags=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --only | --report)
      [[ $# -gt 1 ]] || die "mcp-clients: $1 needs a value"
      flags+=("$1" "$2")
      shift
      ;;
    --config)
      [[ $# -gt 1 ]] || die "mcp-clients: $1 needs a value"
      config=$2
      shift
      ;;
    -h | --help) help; exit ;;
    *) help >&2; die "mcp-clients: no such flag: $1" ;;
  esac
  shift
done
need "${TEST_PACKAGES[@]}"

build_programs "$config" \
  //cli:troika //server:troika-server //relay:troika-relay \
  //testing/fake:fake_codex //testing/fake:fake_claude \
  //testing/fake:fake_gemini

said=$(tools/clis packages testing/mcp)
{ read -r node && read -r packages; } <<<"$said"
say "running the clients"
exec python3 testing/mcp/main.py "${flags[@]}" "$node" "$packages" \
  "${programs[@]}"
