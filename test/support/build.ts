import { execFileSync } from 'node:child_process'

/** Threads and processes under test run what is compiled: it must never be older than the sources. */
export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
