// The address of a caller behind proxies, by which public queries are counted.
import { expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'
import { post, select } from '../../test/support/injected-requests.ts'
import { Problem } from '../model/problem.ts'

const lie = '198.51.100.66'
const caller = '203.0.113.7'
const inner = '10.0.0.5'

test.each<[setting: string, from: string, forwarded: string | null, address: string]>([
  ['false', '127.0.0.1', caller, '127.0.0.1'],
  ['loopback', '127.0.0.1', caller, caller],
  ['loopback', '::ffff:127.0.0.1', caller, caller],
  ['loopback', '127.0.0.1', null, '127.0.0.1'],
  ['loopback', '127.0.0.1', `${lie}, ${caller}`, caller],
  ['loopback', '127.0.0.1', `${lie}, 127.0.0.1, ${caller}`, caller],
  ['loopback', '192.0.2.9', lie, '192.0.2.9'],
  ['10.0.0.0/8,loopback', '127.0.0.1', `${lie}, ${caller}, ${inner}`, caller],
  ['10.0.0.0/8', '127.0.0.1', `${lie}, ${caller}, ${inner}`, '127.0.0.1'],
  ['1', '192.0.2.9', `${lie}, ${caller}`, caller],
  ['true', '192.0.2.9', `${lie}, ${caller}`, caller],
  ['2', '192.0.2.9', `${lie}, ${caller}, ${inner}`, caller],
  ['2', '192.0.2.9', null, '192.0.2.9'],
  ['1', '192.0.2.9', 'no address', 'no address'],
])(
  'server.trustProxy %s: a request from %s with X-Forwarded-For %s has the client address %s',
  async (setting, from, forwarded, address) => {
    const readers: string[] = []
    const { app } = await testServer(
      {
        queries: {
          run: async (_question, _cancellation, { id }) => {
            readers.push(id)
            throw new Problem('unavailable', 'Ask again.')
          },
        },
      },
      { TIDEMARK_SERVER_TRUST_PROXY: setting, TIDEMARK_ACCESS_CONSUMPTION: 'public' },
    )
    const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded }
    await app.inject({ ...post(select, { entity: 'plant' }, headers), remoteAddress: from })
    expect(readers).toEqual([`address ${address}`])
  },
)
