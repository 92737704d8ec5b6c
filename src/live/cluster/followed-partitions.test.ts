import { expect, test } from 'vitest'
import type { DeletionSelection } from '../../model/deletion.ts'
import type { LiveMessage } from '../live-feed.ts'
import type { Follower, LiveQuery, LiveUpdate } from '../live-rows.ts'
import { FollowedPartitions } from './followed-partitions.ts'

const question = {} as LiveQuery

/** Two partitions, visible to queries up to 5 and 7. */
function opened() {
  const calls: string[] = []
  const ends = [5, 7]
  let send: (partition: number, news: LiveMessage) => void = () => undefined
  const partitions = new FollowedPartitions((take) => {
    send = take
    return ends.map((end, partition) => ({
      follow: (follower, _, from) =>
        take(partition, { kind: 'following', follower, ...(from ?? { position: end, change: 3 }) }),
      unfollow: (follower) => calls.push(`${partition} unfollow ${follower}`),
      wait: (follower, waits) => calls.push(`${partition} wait ${follower} ${waits}`),
      hold: (follower, isHeld) => isHeld && calls.push(`${partition} holds ${follower}`),
      moved: () => undefined,
    }))
  })
  return { partitions, calls, send: (partition: number, news: LiveMessage) => send(partition, news) }
}

function follower(): Follower<string> & {
  readonly heard: unknown[]
  readonly update: (update: LiveUpdate<string>) => void
} {
  const heard: unknown[] = []
  return {
    heard,
    following: (position) => heard.push(`following ${position}`),
    update: (update) => heard.push(update),
    caughtUp: () => heard.push('caught up'),
    lost: () => heard.push('lost'),
  }
}

test('reports the position in all partitions, as one shared update for readers at the same position', () => {
  const { partitions, send } = opened()
  const [now, same, earlier] = [follower(), follower(), follower()]
  partitions.follow(question, null, now)
  partitions.follow(question, null, same)
  partitions.follow(question, '2-1', earlier)
  const rows = [
    { items: '[1]', position: 8 },
    { items: '[2]', position: 9 },
  ]
  send(1, { kind: 'sent', updates: [{ followers: [1, 2, 3], rows, position: 10, change: 3 }] })
  expect(now.heard).toMatchObject([
    'following 5.7-3',
    {
      rows: [
        { items: '[1]', position: '5.8-3' },
        { items: '[2]', position: '5.9-3' },
      ],
      position: '5.10-3',
    },
  ])
  expect(same.heard[1]).toBe(now.heard[1])
  expect(earlier.heard).toMatchObject(['following 2.0-1', { rows: [{ position: '2.8-1' }, {}], position: '2.10-1' }])
  send(0, { kind: 'sent', updates: [{ followers: [3], rows: [], position: 6, change: 1 }] })
  expect(earlier.heard[2]).toMatchObject({ rows: [], position: '6.10-1' })
})

test('a reader waits, catches up, is lost and leaves in all partitions', () => {
  const { partitions, calls, send } = opened()
  const reader = follower()
  const following = partitions.follow(question, null, reader)
  following.wait(true)
  send(1, { kind: 'caughtUp', followers: [1] })
  send(0, { kind: 'caughtUp', followers: [1] })
  send(0, { kind: 'lost', followers: [1] })
  send(1, { kind: 'sent', updates: [{ followers: [1], rows: [], position: 9, change: 3 }] })
  following.end()
  expect(reader.heard).toEqual(['following 5.7-3', 'caught up', 'lost'])
  expect(calls).toEqual([
    '0 wait 1 true',
    '1 wait 1 true',
    '0 unfollow 1',
    '1 unfollow 1',
    '0 unfollow 1',
    '1 unfollow 1',
  ])
})

test('a deletion is sent once, when all partitions have reached its position', () => {
  const { partitions, calls, send } = opened()
  const reader = follower()
  partitions.follow(question, null, reader)
  const deletion = { deletionId: 1, isUndone: false, selection: {} as DeletionSelection }
  const comesTo = (partition: number, change: number, position: number): void =>
    send(partition, { kind: 'sent', updates: [{ followers: [1], rows: [], deletion, position, change }] })
  comesTo(1, 4, 9)
  comesTo(1, 5, 9)
  expect([reader.heard, calls]).toEqual([['following 5.7-3'], ['1 holds 1', '1 holds 1']])
  send(0, {
    kind: 'sent',
    updates: [{ followers: [1], rows: [{ items: '[1]', position: 6 }], position: 6, change: 3 }],
  })
  expect(partitions.sentChange).toBe(3)
  comesTo(0, 4, 6)
  expect(partitions.sentChange).toBe(4)
  comesTo(0, 5, 6)
  expect(reader.heard.slice(1)).toMatchObject([
    { rows: [{ items: '[1]', position: '6.9-3' }], position: '6.9-3' },
    { rows: [], deletion, position: '6.9-4' },
    { rows: [], deletion, position: '6.9-5' },
  ])
  expect(calls).toEqual(['1 holds 1', '1 holds 1', '1 holds 1'])
})
