// The cost of node:http alone: it reads and parses the body and returns a number of bytes. Runs as a separate process: `node bare-http.js`.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof body !== 'object') throw new Error('the body is no question')
    // The path contains the length of the response.
    const answer = Buffer.alloc(Number(request.url?.slice(1)), 'x')
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length }).end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(JSON.stringify({ url: `http://127.0.0.1:${address?.port}` }))
})
