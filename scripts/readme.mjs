// Prints the blocks of README.md that are marked `sh` as one script, so that CI runs what a newcomer pastes.
import { readFileSync } from 'node:fs'

const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1])
if (blocks.length === 0) throw new Error('README.md has no block marked sh')
// Background jobs end with the script: each job is a separate process group.
console.log("set -meuo pipefail\ntrap 'for job in $(jobs -p); do kill -- -$job; done; wait' EXIT")
console.log(blocks.join('\n'))
