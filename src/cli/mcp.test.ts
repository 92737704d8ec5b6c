// What it answers: test/acceptance/mcp.test.ts, in a process of its own.
import { expect, test } from 'vitest'
import { tidemark } from '../../test/support/cli.ts'

test('what is no address of a service is told at once', async () => {
  const { code, err } = await tidemark('localhost:8080', ['mcp'])
  expect([code, err]).toEqual([64, expect.stringContaining('is not the address of a service')])
})
