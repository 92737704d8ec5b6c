import { expect, test } from 'vitest'
import { decodeLiveId, encodeLiveId, type LiveEpoch } from './live-ids.ts'
import { livePlaceText } from './live-place.ts'

const old: LiveEpoch = { name: '00000000000000aa', secret: '01', endPosition: 50, endChange: 3 }
const current: LiveEpoch = { name: '00000000000000bb', secret: '02', endPosition: null, endChange: null }
const epochs = [old, current]

test.each<[string, id: string, place: string | null]>([
  ['an id of this run', encodeLiveId(current, 1, `${2 ** 52}.12`), `${2 ** 52}.12`],
  ['an id of an earlier run', encodeLiveId(old, 1, '50.3'), '50.3'],
  ['an id after the last position of an earlier run', encodeLiveId(old, 1, '51.3'), null],
  ['an id after the last deletion of an earlier run', encodeLiveId(old, 1, '50.4'), null],
  ['an id of another entity', encodeLiveId(current, 2, '7.0'), null],
  ['an id of another folder', encodeLiveId({ ...current, name: '00000000000000cc' }, 1, '7.0'), null],
  ['an id with a changed position', encodeLiveId(current, 1, '7.0').replace('-7.', '-8.'), null],
  ['an id with a leading zero in its position', encodeLiveId(current, 1, '7.0').replace('-7.', '-07.'), null],
  ['an empty string', '', null],
  ['an id with a trailing space', `${encodeLiveId(current, 1, '7.0')} `, null],
])('%s', (_, id, place) => {
  const known = decodeLiveId(epochs, 1, id)
  expect(known && livePlaceText(known)).toBe(place)
})
