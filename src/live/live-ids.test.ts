import { expect, test } from 'vitest'
import { decodeLiveId, encodeLiveId, type LiveEpoch } from './live-ids.ts'
import { livePlaceText } from './live-place.ts'

const old: LiveEpoch = { name: '00000000000000aa', secret: '01', endPosition: 50, endChange: 3 }
const current: LiveEpoch = { name: '00000000000000bb', secret: '02', endPosition: null, endChange: null }
const epochs = [old, current]

test.each<[string, id: string, place: string | null]>([
  ['an id of this run', encodeLiveId(current, 1, `${2 ** 52}.12`), `${2 ** 52}.12`],
  ['one of an earlier run', encodeLiveId(old, 1, '50.3'), '50.3'],
  ['one of what the earlier run did that this folder never had', encodeLiveId(old, 1, '51.3'), null],
  ['one of a deletion that this folder never had', encodeLiveId(old, 1, '50.4'), null],
  ['one of another entity', encodeLiveId(current, 2, '7.0'), null],
  ['one of another folder', encodeLiveId({ ...current, name: '00000000000000cc' }, 1, '7.0'), null],
  ['another position', encodeLiveId(current, 1, '7.0').replace('-7.', '-8.'), null],
  ['another spelling of the position', encodeLiveId(current, 1, '7.0').replace('-7.', '-07.'), null],
  ['nothing', '', null],
  ['more than an id', `${encodeLiveId(current, 1, '7.0')} `, null],
])('%s', (_, id, place) => {
  const known = decodeLiveId(epochs, 1, id)
  expect(known && livePlaceText(known)).toBe(place)
})
