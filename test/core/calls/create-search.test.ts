import { describe, expect, it } from 'vitest'
import { issueApiKey } from '../../../core/access/api-key.ts'
import { createSearch } from '../../../core/calls/create-search.ts'
import { Forbidden, InvalidRequest, Unauthorized } from '../../../core/errors.ts'
import { executionName } from '../../../core/job/job.ts'
import { retainRequestUntil } from '../../../core/job/retention.ts'
import { RateLimited } from '../../../core/limits/rate-limited.ts'
import { hashRequest } from '../../../core/search/search-request.ts'
import { body, openCreate, ownKey, revokedKey, unknownKey } from '../../builders/own-job.ts'
import { createdAt, jobIdOf, newNppesMonth, request } from '../../builders/sample-search.ts'
import { createMemoryAccess } from '../../doubles/memory-access.ts'
import { createMemoryCreationLookup } from '../../doubles/memory-usages.ts'

describe('a search that is accepted', () => {
  it('stores the job and its request, and starts its workflow', async () => {
    const { deps, jobs, workflow, lines } = openCreate()
    const { job, isReplay } = await createSearch(deps, ownKey, () => body)
    expect(isReplay).toBe(false)
    expect(job).toStrictEqual({
      orgId: ownKey.orgId,
      jobId: jobIdOf('0'),
      run: 'run1',
      status: 'queued',
      createdAt,
      requestHash: hashRequest(request),
    })
    expect(await jobs.read(job)).toEqual(job)
    expect(await jobs.readRequest(ownKey.orgId, job.requestHash)).toEqual(request)
    expect(jobs.expiries.get(job.requestHash)).toEqual(retainRequestUntil(createdAt, 7))
    expect(workflow.executions.get(executionName(job))).toBe('running')
    expect(lines).toEqual([])
  })

  it('accepts a search even if its workflow does not start, and logs why', async () => {
    const { deps, jobs, workflow, lines } = openCreate()
    workflow.cause = 'ServiceUnavailable'
    const { job } = await createSearch(deps, ownKey, () => body)
    expect(await jobs.read(job)).toEqual(job)
    const facts = { job_id: job.jobId, cause: 'ServiceUnavailable' }
    expect(lines).toEqual([{ event: 'workflow not started', facts }])
  })

  it('creates a new job each time, even for the same request', async () => {
    const { deps } = openCreate()
    const { job: one } = await createSearch(deps, ownKey, () => body)
    const { job: other } = await createSearch(deps, ownKey, () => body)
    expect(other.jobId).not.toBe(one.jobId)
    expect(other.requestHash).toBe(one.requestHash)
  })

  it('may name unknown fee schedules: only its job reports them', async () => {
    const { deps } = openCreate()
    const unsupported = { ...body, fee_schedules: [{ payer: 'Nobody', plan: 'Nothing' }] }
    expect(await createSearch(deps, ownKey, () => unsupported)).toMatchObject({ job: { status: 'queued' } })
  })

  it('starts nothing before it is stored', async () => {
    const { deps, jobs, workflow } = openCreate()
    jobs.create = () => Promise.reject(new Error('no table'))
    await expect(createSearch(deps, ownKey, () => body)).rejects.toThrow('no table')
    expect(workflow.starts).toEqual([])
  })
})

describe('a search that is refused', () => {
  it.each([
    ['its key is unknown', unknownKey, Unauthorized],
    ['its key belongs to no organization', issueApiKey('Org000000000').stored, Unauthorized],
    ['its key is revoked', revokedKey, Forbidden],
  ])('because %s leaves nothing behind, and its body is not read', async (_, presented, refusal) => {
    const { deps, ids, workflow } = openCreate()
    const reads: string[] = []
    const readBody = () => reads.push('read')
    await expect(createSearch(deps, presented, readBody)).rejects.toThrow(refusal)
    expect([...reads, ...ids, ...workflow.starts]).toEqual([])
  })

  it('because its body is not a search leaves nothing behind', async () => {
    const { deps, ids, workflow } = openCreate()
    await expect(createSearch(deps, ownKey, () => ({}))).rejects.toThrow(InvalidRequest)
    expect([...ids, ...workflow.starts]).toEqual([])
  })

  it('because nothing says where providers are leaves nothing behind, and its job stays once it was accepted', async () => {
    const { deps, contents, workflow } = openCreate()
    const post = (idempotencyKey?: string) =>
      createSearch(deps, ownKey, () => ({ ...body, providers: { states: ['tx'] } }), idempotencyKey)
    await expect(post('order-42')).rejects.toThrow(/^providers: cannot be searched by before NPPES is loaded/)
    await expect(
      createSearch({ ...deps, columns: ['npi'] }, ownKey, () => ({ ...body, providers: { states: ['tx'] } })),
    ).rejects.toThrow(
      "providers: cannot be searched by, because the operator's own relation has no column provider_state",
    )
    expect(workflow.starts).toEqual([])
    await contents.replaceNppesMonths({ version: 'a', active: newNppesMonth(), replaced: [] }, undefined)
    const { job } = await post('order-42')
    await contents.replaceNppesMonths({ version: 'b', replaced: [] }, 'a')
    expect(await post('order-42')).toEqual({ job, isReplay: true })
    await expect(post()).rejects.toThrow(InvalidRequest)
  })

  it('because its body does not parse reports the parser’s message', async () => {
    const { deps } = openCreate()
    const readBody = () => {
      throw new InvalidRequest([{ path: '', message: 'is not JSON' }])
    }
    await expect(createSearch(deps, ownKey, readBody)).rejects.toMatchObject({ details: [{ message: 'is not JSON' }] })
  })

  it('because no estimate may be made takes nothing of the rate of searches, whatever asks for the estimate', async () => {
    const limits = { searches: 9, perMinute: 2 }
    const askings = [
      { sent: { ...body, max_bytes: 1 }, key: ownKey },
      { sent: body, key: { ...ownKey, bytesPerDay: 1 } },
    ]
    for (const { sent, key } of askings) {
      const { deps, usages } = openCreate()
      const access = createMemoryAccess([{ orgId: ownKey.orgId, name: 'Acme', active: true }], [key])
      const creationLookup = createMemoryCreationLookup(access, deps.jobs, usages)
      const post = () => createSearch({ ...deps, access, creationLookup, limits }, ownKey, () => sent)
      const refusals = await Promise.allSettled([post(), post(), post(), post()])
      const limited = refusals.filter((one) => one.status === 'rejected' && one.reason instanceof RateLimited)
      expect(limited).toMatchObject([{ reason: { counted: 'estimates' } }, { reason: { counted: 'estimates' } }])
      expect(usages.usages.size).toBe(0)
    }
  })

  it('because its statement would be too long names the list to shorten', async () => {
    const { deps, ids } = openCreate()
    const codes = Array.from({ length: 2000 }, (_, index) => `${'語'.repeat(60)}${index}`)
    await expect(createSearch(deps, ownKey, () => ({ ...body, billing_codes: codes }))).rejects.toMatchObject({
      details: [{ path: 'billing_codes', message: expect.stringContaining('shorten this list') }],
    })
    expect(ids).toEqual([])
  })
})
