import { totalmem } from 'node:os'
import { gibibyte } from './measures.ts'

/** By what the machine has, or what the cgroup of this process may have of it: without a bound that is 0, or a number that no machine has. */
export function isMemoryLittle(machineBytes = totalmem(), allowedBytes = process.constrainedMemory() ?? 0): boolean {
  return machineBytes < gibibyte || (allowedBytes > 0 && allowedBytes < gibibyte)
}
