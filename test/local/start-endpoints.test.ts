import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocalEndpoint, LocalEnvironment, StartContext } from '../../local/endpoint.ts'
import { openCredentialBook } from '../../local/signing/credentials.ts'
import { startEndpoints } from '../../local/start-endpoints.ts'

let folder: string
let context: StartContext
let events: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-endpoints-'))
  events = []
  context = {
    dataFolder: folder,
    warehouseFolder: folder,
    credentials: openCredentialBook(folder),
    now: () => new Date(0),
    newId: () => 'id',
    environment: { AWS_REGION: 'us-east-1' },
    observe: async (_, url) => url,
  }
})

afterEach(() => rmSync(folder, { recursive: true }))

/** An endpoint that notes its start, with the variables it gets, and its end. */
const noteEndpoint = (name: string, environment: LocalEnvironment = {}): LocalEndpoint => ({
  start: async (start) => {
    events.push(`${name} starts with ${Object.keys(start.environment).join(' ')}`)
    return { environment, close: async () => void events.push(`${name} closes`) }
  },
})

const brokenEndpoint: LocalEndpoint = { start: () => Promise.reject(new Error('the port is taken')) }

describe('the endpoints of a list', () => {
  it('start one after another, each with the variables of those before, and close in reverse order', async () => {
    const running = new AsyncDisposableStack()
    const endpoints = [noteEndpoint('s3', { S3: 'url' }), noteEndpoint('sts', { STS: 'url' })]
    const { environment } = await startEndpoints(endpoints, context, running)
    expect(environment).toEqual({ AWS_REGION: 'us-east-1', S3: 'url', STS: 'url' })
    await running.disposeAsync()
    expect(events).toEqual(['s3 starts with AWS_REGION', 'sts starts with AWS_REGION S3', 'sts closes', 's3 closes'])
  })

  it('close in reverse order if a later one fails to start', async () => {
    const running = new AsyncDisposableStack()
    const endpoints = [noteEndpoint('s3'), noteEndpoint('sts'), brokenEndpoint, noteEndpoint('athena')]
    await expect(startEndpoints(endpoints, context, running)).rejects.toThrow('the port is taken')
    await running.disposeAsync()
    expect(events.slice(2)).toEqual(['sts closes', 's3 closes'])
  })
})
