import { expect, test } from 'vitest'
import { Actor, ActorUnavailable, type Death, type Generation, type GenerationEvents, type NextStart } from './actor.ts'

/** A generation that the test controls. */
interface TestGeneration extends Generation, GenerationEvents {
  isAsked: boolean
}

/** An actor whose clock advances only by calls of `pass`. */
function actorOf(next: (death: Death) => NextStart | Promise<NextStart> = () => 'later') {
  const generations: TestGeneration[] = []
  const deaths: [unknown, number][] = []
  const pauses: { readonly ms: number; readonly over: () => void }[] = []
  let broken: Error | null = null
  const actor = new Actor<TestGeneration>({
    begin: (events) => {
      if (broken !== null) throw broken
      const generation: TestGeneration = {
        ...events,
        isAsked: false,
        end: () => {
          generation.isAsked = true
        },
      }
      generations.push(generation)
      return generation
    },
    next,
    died: (reason, restartInMs) => deaths.push([reason, restartInMs]),
    restartDelayMs: 100,
    timer: (over, ms) => {
      const pause = { ms, over }
      pauses.push(pause)
      return () => void pauses.splice(pauses.indexOf(pause), 1)
    },
  })
  const pass = async (): Promise<number> => {
    await turn()
    const pause = pauses.shift()
    pause?.over()
    return pause?.ms ?? 0
  }
  const breakStart = (error: Error | null): void => {
    broken = error
  }
  return { actor, generations, deaths, pauses, pass, breakStart }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('is idle until it is started, and starts only once', () => {
  const { actor, generations } = actorOf()
  expect([actor.state, actor.generation]).toEqual(['idle', null])
  actor.start()
  actor.start()
  expect([actor.state, actor.generation, actor.ready]).toEqual(['starting', generations[0], null])
  generations[0]!.ready()
  expect([actor.state, actor.ready, generations.length]).toEqual(['ready', generations[0], 1])
})

test('whenReady waits for a start in progress, until its signal aborts', async () => {
  const { actor, generations } = actorOf()
  actor.start()
  const leaving = new AbortController()
  const asked = actor.whenReady()
  const gone = actor.whenReady(leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  await expect(actor.whenReady(leaving.signal)).rejects.toThrow('gone')
  generations[0]!.ready()
  expect(await asked).toBe(generations[0])
  expect(await actor.whenReady()).toBe(generations[0])
  await actor.served
})

test('restarts after a pause when its generation dies, and whenReady waits for the restart', async () => {
  const { actor, generations, deaths, pass } = actorOf()
  actor.start()
  generations[0]!.ready()
  generations[0]!.ended('killed')
  expect([actor.state, actor.generation]).toEqual(['resting', null])
  const asked = actor.whenReady()
  expect(await pass()).toBe(100)
  generations[1]!.ready()
  expect(await asked).toBe(generations[1])
  expect(deaths).toEqual([['killed', 100]])
})

test('ignores events of a generation that has ended', async () => {
  const { actor, generations, deaths, pass } = actorOf()
  actor.start()
  generations[0]!.ready()
  generations[0]!.ended('killed')
  generations[0]!.ended('killed twice')
  generations[0]!.ready()
  expect(actor.state).toBe('resting')
  await pass()
  generations[0]!.ready()
  generations[0]!.ended('late')
  expect([actor.state, actor.generation]).toEqual(['starting', generations[1]])
  expect(deaths).toHaveLength(1)
})

test('the pause doubles with each failed start, up to 64 times, and is reset after a start that succeeds', async () => {
  const { actor, generations, pass } = actorOf()
  actor.start()
  const pauses: number[] = []
  for (let failures = 0; failures < 9; failures++) {
    generations.at(-1)!.ended('broken')
    pauses.push(await pass())
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 6400, 6400])
  generations.at(-1)!.ready()
  generations.at(-1)!.ended('killed')
  expect(await pass()).toBe(100)
})

test("the pause stays short while next returns 'soon'", async () => {
  const { actor, generations, pass } = actorOf(({ failures }) => (failures < 3 ? 'soon' : 'later'))
  actor.start()
  const pauses: number[] = []
  for (let failures = 0; failures < 4; failures++) {
    generations.at(-1)!.ended('broken')
    pauses.push(await pass())
  }
  expect(pauses).toEqual([100, 100, 400, 800])
})

test('after a failed start, whenReady rejects until the next start begins', async () => {
  const { actor, generations, pass } = actorOf()
  actor.start()
  const asked = actor.whenReady()
  generations[0]!.ended('broken')
  await expect(asked).rejects.toBeInstanceOf(ActorUnavailable)
  await expect(actor.whenReady()).rejects.toBeInstanceOf(ActorUnavailable)
  await pass()
  const again = actor.whenReady()
  generations[1]!.ready()
  expect(await again).toBe(generations[1])
  await actor.served
})

test('a generation that cannot be created counts as dead', async () => {
  const { actor, generations, deaths, pass, breakStart } = actorOf()
  const error = new Error('no memory for it')
  breakStart(error)
  actor.start()
  expect(actor.state).toBe('resting')
  breakStart(null)
  await pass()
  generations[0]!.ready()
  expect(deaths).toEqual([[error, 100]])
})

test("stays down and reports the reason when next returns 'never'", async () => {
  const { actor, generations, pauses } = actorOf(() => 'never')
  actor.start()
  generations[0]!.ended('broken')
  await expect(actor.served).rejects.toBe('broken')
  expect([actor.state, pauses]).toEqual(['failed', []])
  await expect(actor.whenReady()).rejects.toBeInstanceOf(ActorUnavailable)
  await actor.close()
})

test('stays down when next itself fails', async () => {
  const { actor, generations, deaths } = actorOf(() => Promise.reject(new Error('the note cannot be read')))
  actor.start()
  generations[0]!.ended('broken')
  await expect(actor.served).rejects.toThrow('the note cannot be read')
  expect([actor.state, deaths]).toEqual(['failed', [['broken', 100]]])
})

test('next receives whether a generation was ever ready, and the number of failures in a row', async () => {
  const events: unknown[] = []
  const { actor, generations, pass } = actorOf(({ hasServed, failures }) => {
    events.push([hasServed, failures])
    return 'later'
  })
  actor.start()
  generations[0]!.ended('')
  await pass()
  generations[1]!.ready()
  generations[1]!.ended('')
  await pass()
  generations[2]!.ended('')
  expect(events).toEqual([
    [false, 1],
    [true, 0],
    [true, 1],
  ])
})

test.each(['starting', 'ready'] as const)(
  'closed while %s, ends its generation and waits for its end',
  async (state) => {
    const { actor, generations, deaths, pauses } = actorOf()
    actor.start()
    if (state === 'ready') generations[0]!.ready()
    let closed = 0
    const closing = [actor.close(), actor.close()].map((one) => one.then(() => closed++))
    await turn()
    expect([generations[0]!.isAsked, closed]).toEqual([true, 0])
    generations[0]!.ready()
    expect(actor.ready).toBe(null)
    generations[0]!.ended('as asked')
    await Promise.all(closing)
    expect([actor.state, deaths, pauses]).toEqual(['closed', [], []])
    await expect(actor.whenReady()).rejects.toBeInstanceOf(ActorUnavailable)
  },
)

test('closed during a pause or before its start, starts no more', async () => {
  const { actor, generations, pauses } = actorOf()
  actor.start()
  generations[0]!.ready()
  generations[0]!.ended('killed')
  await turn()
  const asked = actor.whenReady()
  await Promise.all([actor.close(), expect(asked).rejects.toBeInstanceOf(ActorUnavailable)])
  expect(pauses).toEqual([])
  const other = actorOf()
  await other.actor.close()
  other.actor.start()
  expect([generations.length, other.generations.length]).toEqual([1, 0])
  await expect(other.actor.served).rejects.toBeInstanceOf(ActorUnavailable)
})

test('closed while next is running, starts no more', async () => {
  const { actor, generations, pauses, deaths } = actorOf(() => turn().then(() => 'soon'))
  actor.start()
  generations[0]!.ended('broken')
  await actor.close()
  await turn()
  await turn()
  expect([generations.length, pauses, deaths]).toEqual([1, [], []])
})

test('after retire it is idle when its generation has ended, or restarts if whenReady is waiting', async () => {
  const { actor, generations, deaths } = actorOf()
  actor.retire()
  expect(actor.state).toBe('idle')
  for (const waits of [false, true]) {
    actor.start()
    generations.at(-1)!.ready()
    actor.retire()
    expect([actor.state, actor.ready, generations.at(-1)!.isAsked]).toEqual(['retiring', null, true])
    actor.start()
    const next = waits ? actor.whenReady() : null
    generations.at(-1)!.ended('as asked')
    expect(actor.state).toBe(waits ? 'starting' : 'idle')
    generations.at(-1)!.ready()
    if (next !== null) expect(await next).toBe(generations.at(-1))
  }
  actor.retire()
  const closed = actor.close()
  generations.at(-1)!.ended('as asked')
  await closed
  expect([actor.state, deaths, generations.length]).toEqual(['closed', [], 3])
})
