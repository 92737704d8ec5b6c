// Prints the blocks of README.md that are marked `sh` as one script: what a newcomer pastes is what CI runs.
import { readFileSync } from 'node:fs'

const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1])
if (blocks.length === 0) throw new Error('README.md has no block marked sh')
// Whatever it starts in the background ends with it.
console.log("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT")
console.log(blocks.join('\n'))
