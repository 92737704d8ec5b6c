import { expect, test } from 'vitest'
import { decodeLiveId, encodeLiveId, type LiveEpoch } from './live-ids.ts'

const old: LiveEpoch = { name: '00000000000000aa', secret: '01', endPosition: 50 }
const current: LiveEpoch = { name: '00000000000000bb', secret: '02', endPosition: null }
const epochs = [old, current]

test.each<[string, id: string, position: number | null]>([
  ['an id of this run', encodeLiveId(current, 1, 2 ** 52), 2 ** 52],
  ['one of an earlier run', encodeLiveId(old, 1, 50), 50],
  ['one of what the earlier run did that this folder never had', encodeLiveId(old, 1, 51), null],
  ['one of another entity', encodeLiveId(current, 2, 7), null],
  ['one of another folder', encodeLiveId({ ...current, name: '00000000000000cc' }, 1, 7), null],
  ['another position', encodeLiveId(current, 1, 7).replace('-7-', '-8-'), null],
  ['another spelling of the position', encodeLiveId(current, 1, 7).replace('-7-', '-07-'), null],
  ['nothing', '', null],
  ['more than an id', `${encodeLiveId(current, 1, 7)} `, null],
])('%s', (_, id, position) => {
  expect(decodeLiveId(epochs, 1, id)).toBe(position)
})
