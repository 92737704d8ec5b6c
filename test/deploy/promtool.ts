import { spawnSync } from 'node:child_process'

/** Whether promtool is installed (Debian's package prometheus contains it). Tests that need it are skipped otherwise. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** The output of promtool if it finds a fault; null otherwise. */
export function promtoolFault(...words: readonly string[]): string | null {
  const { status, stdout, stderr } = spawnSync('promtool', [...words], { encoding: 'utf8' })
  return status === 0 ? null : `${stdout}${stderr}`
}
