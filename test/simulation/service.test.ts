import { expect, test } from 'vitest'
import { firstFault } from './sabotage.ts'
import { type Happenings, runServiceHistory } from './service-history.ts'
import type { Sabotage } from './simulated-thread.ts'

const count = Number(process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? 200)
const first = Number(process.env['TIDEMARK_SIMULATION_SEED'] ?? 1)

test('s', async () => {
  const happenings: Happenings = new Map()
  const none: Sabotage = {}
  const fault = await firstFault({ first, count }, (seed) => runServiceHistory(seed, none, happenings))
  console.log(Object.fromEntries(happenings))
  expect(fault).toBeNull()
}, 10000000)
