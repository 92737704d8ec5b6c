import type { ObjectStore } from '../object-store/object-store.ts'
import type { MomentMaker } from './moment-maker.ts'
import { objectNames } from './object-names.ts'
import { epochOf, logPrefix, momentPrefix, numberOf } from './replica-format.ts'
import type { ReplicaLog, StoreAttempt } from './replica-log.ts'

/** The most names that are kept in memory. */
const removedAtOnce = 20_000

/** Deletes objects that earlier processes left and no moment names: these processes cannot commit them any more. */
export async function sweep(
  moments: MomentMaker,
  log: ReplicaLog,
  store: ObjectStore,
  attempt: StoreAttempt,
): Promise<void> {
  const { last } = moments
  if (last === null) return
  const parts = last.files.flatMap((file) => file.parts.map(([name]) => name))
  const named = new Set([...parts, ...last.departed.map(([name]) => name), ...last.moments.map(([, , , name]) => name)])
  const floor = last.moments[0]?.[2] ?? last.journalFrom
  const left: string[] = []
  const collect = async (prefix: string, isLeft: (name: string) => boolean): Promise<void> => {
    for await (const name of objectNames(store, attempt, prefix)) {
      if (isLeft(name)) left.push(name)
      if (left.length === removedAtOnce) await moments.remove(left.splice(0))
    }
  }
  const isUnnamed = (name: string): boolean => epochOf(name) < log.epoch && !named.has(name)
  await collect('parts/', isUnnamed)
  await collect(momentPrefix, isUnnamed)
  await collect(logPrefix, (name) => numberOf(name) < floor)
  await moments.remove(left)
}
