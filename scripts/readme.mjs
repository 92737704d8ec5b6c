// Prints the blocks of README.md that are marked `sh` as one script: what a newcomer pastes is what CI runs.
import { readFileSync } from 'node:fs'

const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1])
if (blocks.length === 0) throw new Error('README.md has no block marked sh')
// Whatever it starts in the background ends with it: each job is a group of processes of its own.
console.log("set -meuo pipefail\ntrap 'for job in $(jobs -p); do kill -- -$job; done; wait' EXIT")
console.log(blocks.join('\n'))
