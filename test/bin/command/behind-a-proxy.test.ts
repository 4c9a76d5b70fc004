import { expect, it } from 'vitest'
import { startConnectProxy } from '../../client/network/connect-proxy.ts'
import { runCommandLine } from '../run-command-line.ts'

it('asks AWS through the proxy of HTTPS_PROXY', async () => {
  await using proxy = await startConnectProxy(9, 'user:password')
  const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }
  const environment = { ...credentials, AWS_MAX_ATTEMPTS: '1', AWS_ENDPOINT_URL: undefined, HTTPS_PROXY: proxy.url }
  const { errors, exitCode } = await runCommandLine('status', ['--stage', 'dev'], environment)
  expect([errors, exitCode]).toEqual([expect.stringContaining('407'), 1])
  expect(new Set(proxy.asked).size).toBe(1)
  expect(proxy.asked[0]).toMatch(/^CONNECT \w+\.eu-west-1\.amazonaws\.com:443$/)
})
