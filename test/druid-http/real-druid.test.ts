// Sends the same requests to a real Druid 33 and to a Tidemark with each engine. Status, headers and bytes are equal, except for the guide's differences.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestedEngine } from '../support/running-service.ts'
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
    const theirs = await servers.druid(request)
    const unexplainedOf = async (engine: TestedEngine): Promise<string | null> => {
      const known = request.differs.filter(({ onlyOn }) => onlyOn === undefined || onlyOn === engine)
      return unexplained(await servers.tidemark(engine, request), theirs, known)
    }
    const found = { embedded: await unexplainedOf('embedded'), cluster: await unexplainedOf('cluster') }
    expect(found).toEqual({ embedded: null, cluster: null })
  },
)
