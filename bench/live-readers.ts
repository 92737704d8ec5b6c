// Readers of live rows that count bytes, in a separate thread.
import { connect, type Socket } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Resolves when all readers have received rows; `close` returns the number of bytes received. */
export async function openReaders(url: string, paths: readonly string[]): Promise<{ close(): Promise<number> }> {
  if (paths.length === 0) return { close: async () => 0 }
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, paths } })
  const said = (): Promise<number> =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  await said()
  return {
    close: async () => {
      const bytes = said()
      worker.postMessage('close')
      return bytes
    },
  }
}

async function read({ url, paths }: { readonly url: string; readonly paths: readonly string[] }): Promise<void> {
  const { hostname, port } = new URL(url)
  let bytes = 0
  const sockets: Socket[] = []
  for (const path of paths) {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.push(socket)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
  }
  parentPort!.postMessage(0)
  parentPort!.once('message', () => {
    for (const socket of sockets) socket.destroy()
    parentPort!.postMessage(bytes)
  })
}

if (!isMainThread) await read(workerData)
