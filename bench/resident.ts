import { adminKey } from '../test/support/server-process.ts'

/** The resources used by the service, from its metrics. */
export interface Usage {
  readonly residentBytes: number
  /** Of all threads since the start, including the garbage collector. */
  readonly cpuSeconds: number
}

export async function usageOf(url: string): Promise<Usage> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
  const text = await response.text()
  const level = (name: string): number => {
    const value = Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    if (!(value > 0)) throw new Error(`the metrics have no ${name}`)
    return value
  }
  return { residentBytes: level('process_resident_memory_bytes'), cpuSeconds: level('process_cpu_seconds_total') }
}

/** The resident memory of the service. */
export async function residentBytes(url: string): Promise<number> {
  return (await usageOf(url)).residentBytes
}
