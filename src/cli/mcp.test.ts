// test/acceptance/mcp.test.ts tests the responses, in a separate process.
import { expect, test } from 'vitest'
import { tidemark } from '../../test/support/cli.ts'

test('refuses at once an invalid address of a service', async () => {
  const { code, err } = await tidemark('localhost:8080', ['mcp'])
  expect([code, err]).toEqual([64, expect.stringContaining('is not the address of a service')])
})
