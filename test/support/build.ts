import { spawnSync } from 'node:child_process'

/** Threads and processes under test run what is compiled: it must never be older than the sources. Types are checked by `npm test` itself. */
export default function build(): void {
  spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'ignore' })
}
