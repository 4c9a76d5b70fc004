import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWebhookCalls } from '../../../adapters/network/webhook-calls.ts'
import { startTlsServer } from '../../client/network/tls-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../doubles/webhook-receiver.ts'

let receiver: WebhookReceiver

beforeEach(async () => {
  receiver = await startWebhookReceiver()
})

afterEach(() => receiver[Symbol.asyncDispose]())

const openCalls = (timeout?: number) => createWebhookCalls({ allowsPrivate: false, allowsOwn: true }, timeout)
const call = (url: string, timeout?: number) => openCalls(timeout)(url, { 'webhook-id': 'one' }, '{"größe": 1}')

describe('a call of a webhook', () => {
  it('sends its headers and body, and ends with the head of the answer', async () => {
    expect(await call(receiver.url)).toEqual({ status: 204 })
    expect(receiver.calls).toMatchObject([
      { body: '{"größe": 1}', headers: { 'webhook-id': 'one', 'user-agent': 'rate-search-webhooks' } },
    ])
  })

  it.each(['https://10.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'https://[::ffff:10.0.0.1]/'])(
    'does not follow a redirect, such as to %s',
    async (location) => {
      receiver.answer = (response) => void response.writeHead(307, { location }).end()
      expect(await call(receiver.url)).toEqual({ status: 307 })
      expect(receiver.calls).toHaveLength(1)
    },
  )

  it('reads no body of any length', async () => {
    let sentBytes = 0
    const isClosed = Promise.withResolvers<void>()
    receiver.answer = (response) => {
      const sendMore = () => {
        sentBytes += 65_536
        while (response.write(Buffer.alloc(65_536))) sentBytes += 65_536
        response.once('drain', sendMore)
      }
      response.on('close', isClosed.resolve).writeHead(200)
      sendMore()
    }
    expect(await call(receiver.url)).toEqual({ status: 200 })
    await isClosed.promise
    expect(sentBytes).toBeLessThan(50_000_000)
  })

  it('fails if the head of the answer is too long', async () => {
    receiver.answer = (response) => void response.writeHead(200, { 'x-long': 'a'.repeat(100_000) }).end()
    expect(await call(receiver.url)).toEqual({ fault: 'no answer (HPE_HEADER_OVERFLOW)' })
  })

  it('fails if no answer or only interim answers come in time', async () => {
    receiver.answer = () => undefined
    expect(await call(receiver.url, 100)).toEqual({ fault: 'no answer within 0.1 seconds' })
    const server = createServer((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10)
      socket.on('close', () => clearInterval(timer)).on('error', () => undefined)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    expect(await call(`http://127.0.0.1:${port}`, 200)).toEqual({ fault: 'no answer within 0.2 seconds' })
    server.close()
  })

  it('fails if the answer is another protocol', async () => {
    const server = createServer((socket) => {
      const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'
      socket.on('error', () => undefined).on('data', () => socket.write(head))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    expect(await call(`http://127.0.0.1:${port}`, 1000)).toEqual({ fault: 'no answer (connection closed)' })
    server.close()
  })

  it('fails if the connection ends, without the URL in the reason', async () => {
    receiver.answer = (response) => void response.destroy()
    expect(await call(`${receiver.url}/secret-path`)).toEqual({ fault: 'no answer (ECONNRESET)' })
  })

  it.each([
    [
      'server',
      ['server'],
      /^its server leaves out an intermediate certificate, .* \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/,
    ],
    ['chain', ['server', 'intermediate', 'root'], /does not trust.* \(SELF_SIGNED_CERT_IN_CHAIN\)$/],
  ])('says in words what is wrong with the certificates of a receiver: %s', async (_, chain, fault) => {
    await using server = await startTlsServer(chain, () => undefined)
    expect(await call(`https://localhost:${server.port}`)).toEqual({ fault: expect.stringMatching(fault) })
  })

  it('says if a receiver does not speak TLS', async () => {
    expect(await call(receiver.url.replace('http:', 'https:'))).toEqual({
      fault: expect.stringMatching(/^its server does not speak TLS at this port \(\w+\)$/),
    })
  })

  it.each([
    ['http://hooks.example/', 'the address is not an https address'],
    ['https://10.0.0.1/', 'the address 10.0.0.1 is in a private network'],
    ['https://192.168.1.9:8443/', 'the address 192.168.1.9 is in a private network'],
    ['https://169.254.169.254/', 'the address 169.254.169.254 is not a public address'],
    ['https://[fd00:ec2::254]/', 'the address fd00:ec2::254 is not a public address'],
    ['https://user:word@hooks.example/', 'the address has a user name or password in its URL'],
    ['file:///etc/passwd', 'the address is not an https address'],
  ])('refuses %s, even on the local service', async (url, fault) => {
    expect(await call(url)).toEqual({ fault })
  })

  it('refuses this machine on a deployed stage, by its address and by a name that resolves to it', async () => {
    const deployed = createWebhookCalls({ allowsPrivate: false, allowsOwn: false })
    const { port } = new URL(receiver.url)
    const urls = [receiver.url, `https://127.0.0.1:${port}`, `https://localhost:${port}`, `https://2130706433:${port}`]
    const outcomes = await Promise.all(urls.map((url) => deployed(url, {}, '')))
    expect(outcomes).toEqual([
      { fault: 'the address is not an https address' },
      { fault: 'the address 127.0.0.1 is in a private network' },
      { fault: expect.stringMatching(/^the address localhost: (127\.0\.0\.1|::1) is in a private network$/) },
      { fault: 'the address 127.0.0.1 is in a private network' },
    ])
    expect(receiver.calls).toEqual([])
  })
})
