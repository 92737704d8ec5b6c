// Rules for file names.
import { expect, test } from 'vitest'
import { filesUnder, portal, sources, textOf } from './source-files.ts'

test('no file is a barrel or a catch-all like utils, and no test mocks a module', () => {
  const named = [...sources, ...portal].filter((file) =>
    /(^|\/)(utils?|helpers?|common|shared|misc|index)(\.|\/)/.test(file),
  )
  expect(named).toEqual([])
  const mocking = [...sources, ...filesUnder('test', '.ts')].filter((file) => /vi\.(mock|doMock)\(/.test(textOf(file)))
  expect(mocking).toEqual([])
})
