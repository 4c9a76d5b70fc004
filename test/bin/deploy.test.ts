import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

function deploy(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { AWS_ENDPOINT_URL: _, ...rest } = process.env
  return spawnSync(process.execPath, ['bin/deploy.ts', ...args, '--yes'], {
    encoding: 'utf8',
    env: { ...rest, ...variables },
  })
}

const emulator = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }

describe('npm run deploy', () => {
  it.each([
    [
      'an emulator without AWS_ENDPOINT_URL, which would deploy to the real AWS',
      ['--athena', 'http://127.0.0.1:9'],
      {},
      'set AWS_ENDPOINT_URL to its address',
    ],
    [
      'an emulator without an Athena, on which every search would fail',
      [],
      emulator,
      'the stage emulator needs --athena <url>',
    ],
  ])('refuses %s', (_, args, variables, complaint) => {
    const { status, stderr } = deploy(['--stage', 'emulator', ...args], variables)
    expect(stderr).toContain(complaint)
    expect(status).toBe(2)
  })

  it('refuses a local Athena for a stage on AWS', () => {
    const { status, stderr } = deploy(['--stage', 'dev', '--athena', 'http://127.0.0.1:9'])
    expect(stderr).toBe('error: --athena is only for the stage emulator: AWS provides Athena itself (see --help)\n')
    expect(status).toBe(2)
  })
})
