import { expect, test } from 'vitest'
import type { LiveNews } from '../live-feed.ts'
import type { Follower, LiveQuestion, Told } from '../live-rows.ts'
import { FollowedPartitions } from './followed-partitions.ts'

const question = {} as LiveQuestion

/** Two partitions, which queries see up to 5 and 7. */
function opened() {
  const calls: string[] = []
  const ends = [5, 7]
  let send: (partition: number, news: LiveNews) => void = () => undefined
  const partitions = new FollowedPartitions((take) => {
    send = take
    return ends.map((end, partition) => ({
      follow: (follower, _, from) => take(partition, { kind: 'following', follower, position: from?.position ?? end }),
      unfollow: (follower) => calls.push(`${partition} unfollow ${follower}`),
      wait: (follower, waits) => calls.push(`${partition} wait ${follower} ${waits}`),
      moved: () => undefined,
    }))
  })
  return { partitions, calls, send: (partition: number, news: LiveNews) => send(partition, news) }
}

function follower(): Follower<string> & { readonly heard: unknown[]; readonly told: (told: Told<string>) => void } {
  const heard: unknown[] = []
  return {
    heard,
    following: (position) => heard.push(`following ${position}`),
    told: (told) => heard.push(told),
    caughtUp: () => heard.push('caught up'),
    lost: () => heard.push('lost'),
  }
}

test('says how far it has come in all partitions, and the same to all who have come equally far', () => {
  const { partitions, send } = opened()
  const [now, same, earlier] = [follower(), follower(), follower()]
  partitions.follow(question, null, now)
  partitions.follow(question, null, same)
  partitions.follow(question, '2', earlier)
  const rows = [
    { items: '[1]', position: 8 },
    { items: '[2]', position: 9 },
  ]
  send(1, { kind: 'told', told: [{ followers: [1, 2, 3], rows, position: 10 }] })
  expect(now.heard).toMatchObject([
    'following 5.7',
    {
      rows: [
        { items: '[1]', position: '5.8' },
        { items: '[2]', position: '5.9' },
      ],
      position: '5.10',
    },
  ])
  expect(same.heard[1]).toBe(now.heard[1])
  expect(earlier.heard).toMatchObject(['following 2.0', { rows: [{ position: '2.8' }, {}], position: '2.10' }])
  send(0, { kind: 'told', told: [{ followers: [3], rows: [], position: 6 }] })
  expect(earlier.heard[2]).toMatchObject({ rows: [], position: '6.10' })
})

test('a reader waits, has caught up, is lost and leaves in all partitions', () => {
  const { partitions, calls, send } = opened()
  const reader = follower()
  const following = partitions.follow(question, null, reader)
  following.wait(true)
  send(1, { kind: 'caughtUp', followers: [1] })
  send(0, { kind: 'caughtUp', followers: [1] })
  send(0, { kind: 'lost', followers: [1] })
  send(1, { kind: 'told', told: [{ followers: [1], rows: [], position: 9 }] })
  following.end()
  expect(reader.heard).toEqual(['following 5.7', 'caught up', 'lost'])
  expect(calls).toEqual([
    '0 wait 1 true',
    '1 wait 1 true',
    '0 unfollow 1',
    '1 unfollow 1',
    '0 unfollow 1',
    '1 unfollow 1',
  ])
})
