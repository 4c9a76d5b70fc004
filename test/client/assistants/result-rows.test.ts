import { expect, it } from 'vitest'
import { json, openTools } from './open-tools.ts'

const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'

it('reads the files of a result as its client reads the service, so through the same proxies', async () => {
  const shard = { name: 'a.parquet', url: 'https://storage.example/a.parquet?signature', rows: 1, bytes: 1 }
  const manifest = {
    ...{ job_id: jobId, created_at: '2026-11-28T00:00:00.000+00:00', status: 'completed', attempts: [] },
    ...{ request: { npis: [0], fee_schedules: [{ payer: 'A', plan: 'B' }] }, fee_schedules: [], nppes_month: null },
    ...{ rows: 1, bytes: 1, truncated: false, without_rows: null, columns: ['price_id'], shards: [shard] },
  }
  const { send, requests } = openTools((path) => json(manifest, path === '/a.parquet' ? 500 : 200)())
  await send('tools/call', { name: 'read_rows', arguments: { job_id: jobId, price_id: 'p' } })
  expect(requests).toContain('/a.parquet?signature')
})
