// Without a broker; test/tools/mqtt.test.ts has a real one.
import { expect, test } from 'vitest'
import { unreachableUrl } from '../../../test/support/cli.ts'
import { connectBroker } from './connect-broker.ts'

test('a broker that is not there', async () => {
  const { host } = new URL(await unreachableUrl())
  const options = { clientId: 'c', filters: ['#'], protocol: '5', inFlightMax: 1, keepAliveS: 60 } as const
  await expect(connectBroker({ ...options, url: new URL(`mqtt://${host}`) }, () => undefined)).rejects.toThrow(
    `The broker ${host} cannot be reached (ECONNREFUSED). Does it run, and is this its address?`,
  )
})
