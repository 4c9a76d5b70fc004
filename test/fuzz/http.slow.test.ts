import { describe, expect, inject, it } from 'vitest'
import { call, createSearch } from '../conformance/client.ts'
import { smallSearch } from '../conformance/samples.ts'
import { httpSurface } from './http.ts'

const service = inject('service')
const { job_id: jobId } = await createSearch(smallSearch)
const { rules } = httpSurface({ ...service, jobId })

// Behind an emulator the answers would be those of the emulator's own HTTP server.
describe.skipIf(service.emulated)('fuzzing the HTTP API', () => {
  it.each(rules)('upholds $name', async ({ check, shortRuns }) => {
    const { failure } = await check({ numRuns: shortRuns, interruptAfterTimeLimit: 60_000 })
    expect(failure).toBeUndefined()
  })

  it('leaves the service working', async () => {
    expect((await call(`/v1/fee-schedules`)).status).toBe(200)
  })
})
