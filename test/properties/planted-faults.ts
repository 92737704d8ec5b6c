// Worlds with a planted fault, small enough to be overlooked: the queries of a history must reveal it.
import type { HistoryWorld, RandomPush } from './history-world.ts'

/** Wraps a world so that it does one thing differently. */
type Plant = (world: HistoryWorld) => HistoryWorld

function withPush(world: HistoryWorld, push: HistoryWorld['push']): HistoryWorld {
  return {
    hasExactMeans: world.hasExactMeans,
    push,
    define: (definition) => world.define(definition),
    addFields: (fields) => world.addFields(fields),
    replay: (rows) => world.replay(rows),
    retain: (retention) => world.retain(retention),
    lift: world.lift,
    ask: (question, format) => world.ask(question, format),
    fields: () => world.fields(),
    statistics: (expected) => world.statistics(expected),
    counters: () => world.counters(),
  }
}

const changingRows =
  (change: (rows: readonly string[]) => readonly string[]): Plant =>
  (world) =>
    withPush(world, (push: RandomPush) => world.push({ ...push, rows: change(push.rows) }))

/** Rejected rows are reported as without the fault, as far as possible. */
export const plantedFaults: readonly (readonly [string, Plant])[] = [
  [
    'the last row of a push is stored twice',
    (world) =>
      withPush(world, async (push) => {
        const last = push.rows.length
        const rejected = await world.push({ ...push, rows: [...push.rows, ...push.rows.slice(-1)] })
        return rejected.filter((index) => index < last)
      }),
  ],
  [
    'the last row of a push is lost',
    (world) =>
      withPush(world, async (push) => {
        const last = push.rows.length - 1
        const rejected = await world.push({ ...push, rows: [...push.rows.slice(0, -1), '{}'] })
        return rejected.filter((index) => index < last)
      }),
  ],
  [
    'a pushed null is stored as an absent property',
    changingRows((rows) => rows.map((row) => row.replaceAll(/,"V[^"]*":null/g, ''))),
  ],
  [
    'a long is rounded to a double',
    changingRows((rows) => rows.map((row) => row.replaceAll('9007199254740993', '9007199254740992'))),
  ],
  [
    'items do not expire',
    (world) => ({ ...withPush(world, (push) => world.push(push)), retain: async () => undefined }),
  ],
]
