// Rules for file names.
import { expect, test } from 'vitest'
import { filesUnder, portal, sources, textOf } from './source-files.ts'

test('no file is an attic, a barrel or a mock of a module', () => {
  const named = [...sources, ...portal].filter((file) =>
    /(^|\/)(utils?|helpers?|common|shared|misc|index)(\.|\/)/.test(file),
  )
  expect(named).toEqual([])
  const mocking = [...sources, ...filesUnder('test', '.ts')].filter((file) => /vi\.(mock|doMock)\(/.test(textOf(file)))
  expect(mocking).toEqual([])
})
