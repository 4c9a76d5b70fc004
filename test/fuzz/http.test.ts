import { describe, expect, inject, it } from 'vitest'
import { call, createSearch } from '../conformance/client.ts'
import { smallSearch } from '../conformance/samples.ts'
import { httpSurface } from './http.ts'

const service = inject('service')
const { job_id: jobId } = await createSearch(smallSearch)
const { rules } = httpSurface({ ...service, jobId, hasLocalFront: service.isLocal })

// An emulator's own front stands before the service, and it is that front's answers that would be tested.
describe.skipIf(service.emulated)('the API over HTTP, under fuzz', () => {
  it.each(rules)('holds to $name', async ({ check, shortRuns }) => {
    const { failure } = await check({ numRuns: shortRuns, interruptAfterTimeLimit: 60_000 })
    expect(failure).toBeUndefined()
  })

  it('serves on as before', async () => {
    expect((await call(`/v1/fee-schedules`)).status).toBe(200)
  })
})
