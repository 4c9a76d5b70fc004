import { afterEach, describe, expect, it, vi } from 'vitest'
import { readEmulatorContext } from '../../../bin/command/emulator.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the emulator stage', () => {
  it.each(['http://127.0.0.1:4577', 'http://127.0.0.1:4577/'])(
    "can be reached at the emulator's address: %s",
    (endpoint) => {
      vi.stubEnv('AWS_ENDPOINT_URL', endpoint)
      expect(readEmulatorContext('http://127.0.0.1:4567')).toEqual([
        '-c',
        'athenaEndpoint=http://127.0.0.1:4567',
        '-c',
        'publicBaseUrl=http://127.0.0.1:4577/_aws/execute-api/{apiId}/{stage}',
      ])
    },
  )
})
