import { spawnSync } from 'node:child_process'

/** Debian's package prometheus has it. What needs it is left out where it is not. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** What it says, where it finds a fault; null where it finds none. */
export function promtoolFault(...words: readonly string[]): string | null {
  const { status, stdout, stderr } = spawnSync('promtool', [...words], { encoding: 'utf8' })
  return status === 0 ? null : `${stdout}${stderr}`
}
