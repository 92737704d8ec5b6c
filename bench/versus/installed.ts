import { execFileSync } from 'node:child_process'

export function isInstalled(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`])
    return true
  } catch {
    return false
  }
}
