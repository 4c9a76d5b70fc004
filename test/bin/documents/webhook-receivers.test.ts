import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createWebhookCalls } from '../../../adapters/network/webhook-calls.ts'
import { signCall } from '../../../core/events/webhook.ts'
import { readText } from '../../templates/source-files.ts'

const codeOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(readText('docs/webhooks.md'))?.[1] ?? ''

const secret = `whsec_${randomBytes(32).toString('base64')}`
const call = createWebhookCalls({ allowsPrivate: false, allowsOwn: true })

/** A port that nothing listens on. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return address !== null && typeof address === 'object' ? address.port : 0
}

const runners = [
  ['ts', process.execPath, ['--input-type=module-typescript', '-e', codeOf('ts')], true],
  ['python', 'python3', ['-c', codeOf('python')], spawnSync('python3', ['-c', 'import standardwebhooks']).status === 0],
] as const

describe.each(runners)('the receiver in docs/webhooks.md (%s)', (_, program, args, isThere) => {
  it.skipIf(!isThere)('accepts a call, and refuses one of another secret', async () => {
    const port = await findPort()
    const receiver = spawn(program, args, { env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret } })
    let output = ''
    receiver.stdout.on('data', (data) => {
      output += data
    })
    try {
      const body = '{"type":"search.ended","timestamp":"2026-11-20T09:31:00.250+00:00","data":{}}'
      const send = async (signedWith: string) => {
        const headers = signCall({ eventId: 'one', body }, [{ secret: signedWith }], new Date())
        for (;;) {
          const outcome = await call(`http://127.0.0.1:${port}`, headers, body)
          if (!('fault' in outcome && outcome.fault.includes('ECONNREFUSED'))) return outcome
          await sleep(100)
        }
      }
      expect(await send(secret)).toEqual({ status: 204 })
      expect(await send(`whsec_${randomBytes(32).toString('base64')}`)).toEqual({ status: 400 })
      expect(output).toContain('search.ended')
    } finally {
      receiver.kill()
    }
  })
})
