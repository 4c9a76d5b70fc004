import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import { createSearch, postSearch, readSearch, service } from '../client.ts'
import { choice, dental, gold, silver, smallSearch } from '../samples.ts'

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

async function create(request: object = smallSearch) {
  const answer = await postSearch(JSON.stringify(request))
  const body: SearchBody = JSON.parse(answer.text)
  return { answer, body }
}

describe('creating a search', () => {
  it('answers 202 with the queued job', async () => {
    const { answer, body } = await create()
    expect([answer.status, body.status]).toEqual([202, 'queued'])
  })

  it('gives each job a new UUIDv4', async () => {
    const searches = await Promise.all([create(), create(), create()])
    const ids = searches.map(({ body }) => body.job_id)
    for (const id of ids) expect(id).toMatch(uuidV4)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('returns the URL of the job in Location and status_url, whatever address headers claim', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'gopher', Forwarded: 'host=evil.test' }
    const answer = await postSearch(JSON.stringify(smallSearch), { headers })
    const body: SearchBody = JSON.parse(answer.text)
    expect(body.status_url).toBe(`${service.publicBaseUrl}/v1/searches/${body.job_id}`)
    expect(answer.headers.get('Location')).toBe(body.status_url)
  })

  it('returns the creation time', async () => {
    const { answer, body } = await create()
    const answeredAt = Date.parse(answer.headers.get('Date') ?? '')
    expect(Math.abs(Date.parse(body.created_at) - answeredAt)).toBeLessThan(15_000)
  })

  it('makes the job readable immediately', async () => {
    const created = await createSearch(smallSearch)
    const job = await readSearch(created.job_id)
    const { job_id, created_at, status_url } = created
    expect(job).toMatchObject({ job_id, created_at, status_url })
  })
})

describe('a request to create a search', () => {
  it.each<[string, object]>([
    ['with only NPIs', { npis: [0], fee_schedules: [choice] }],
    ['with only billing codes', { billing_codes: ['x'.repeat(64)], fee_schedules: [gold, silver, dental] }],
    [
      'with lists of the greatest lengths',
      {
        npis: Array.from({ length: 10_000 }, (_, index) => 1e9 + index),
        billing_codes: Array.from({ length: 2000 }, (_, index) => `A${index}`),
        fee_schedules: Array.from({ length: 200 }, () => gold),
      },
    ],
  ])('succeeds %s', async (_, request) => {
    expect((await create(request)).answer.status).toBe(202)
  })

  it('succeeds at exactly 1 MiB', async () => {
    const answer = await postSearch(JSON.stringify(smallSearch).padEnd(1024 * 1024))
    expect(answer.status).toBe(202)
  })
})
