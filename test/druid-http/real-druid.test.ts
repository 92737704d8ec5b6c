// The same requests of a real Druid 33 and of a Tidemark of one machine: the same status, headers and bytes, but for what the guide tells.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BothServers, bothServers } from './both-servers.ts'
import { unexplained } from './compare.ts'
import { titleOf } from './request.ts'
import { requests } from './requests.ts'

let servers: BothServers
beforeAll(async () => {
  servers = await bothServers()
})
afterAll(() => servers?.close())

test.each(requests.map((request) => [titleOf(request).slice(0, 300), request] as const))(
  '%s',
  async (_title, request) => {
    const ours = await servers.tidemark(request)
    const theirs = await servers.druid(request)
    expect(unexplained(ours, theirs, request.differs)).toBeNull()
  },
)
