import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

/** A broker with its own port and folder; it saves its state on every change. */
export class Mosquitto {
  readonly url: string
  readonly port: number
  readonly #configuration: string
  #child: ChildProcess | null = null

  private constructor(port: number, configuration: string) {
    this.port = port
    this.url = `mqtt://127.0.0.1:${port}`
    this.#configuration = configuration
  }

  static async start(folder: string, port: number): Promise<Mosquitto> {
    const home = join(folder, 'mosquitto')
    await mkdir(home, { recursive: true })
    const lines = [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      'persistence true',
      `persistence_location ${home}/`,
      'autosave_interval 1',
      'autosave_on_changes true',
      // By default, waiting messages beyond a thousand are dropped.
      'max_queued_messages 0',
      // As root, it would drop its rights at the start and could not write to the test's folder.
      'user root',
    ]
    const configuration = join(home, 'mosquitto.conf')
    await writeFile(configuration, `${lines.join('\n')}\n`)
    const broker = new Mosquitto(port, configuration)
    await broker.start()
    return broker
  }

  async start(): Promise<void> {
    const child = spawn('mosquitto', ['-c', this.#configuration], { stdio: 'ignore' })
    this.#child = child
    for (let attempt = 0; attempt < 100; attempt++) {
      if (await this.#answers()) return
      if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('mosquitto does not listen')
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => {
      child.once('close', () => resolve())
      child.kill(signal)
    })
  }
}
