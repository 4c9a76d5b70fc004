import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { STSClient } from '@aws-sdk/client-sts'
import { expect, it } from 'vitest'
import { readCaller } from '../../adapters/caller.ts'
import { quotas, readQuota } from '../../adapters/service-quotas.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

it.each(Object.entries(quotas))('reads the quota %s by its service and code', async (name, { service, code }) => {
  await using stub = await startHttpStub(() => ({ status: 200, body: JSON.stringify({ Quota: { Value: 12 } }) }))
  const quotaName = Object.keys(quotas).find((key): key is keyof typeof quotas => key === name) ?? 'fargateSpot'
  expect(await readQuota(quotaName, new ServiceQuotasClient(sdkSettings(stub.url)))).toBe(12)
  expect(stub.calls.map(({ body }) => JSON.parse(body))).toEqual([{ ServiceCode: service, QuotaCode: code }])
})

it('returns nothing for a quota that may not be read or has no value', async () => {
  const refused = { status: 400, body: JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }) }
  for (const answer of [refused, { status: 200, body: '{}' }]) {
    await using stub = await startHttpStub(() => answer)
    expect(await readQuota('athenaQueryMinutes', new ServiceQuotasClient(sdkSettings(stub.url)))).toBeUndefined()
  }
})

it('reads the caller’s account from the credentials, and the region from the settings', async () => {
  const result = '<GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>'
  const body = `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`
  await using sts = await startHttpStub(() => ({ status: 200, body }))
  const { region } = sdkSettings(sts.url)
  expect(await readCaller(new STSClient(sdkSettings(sts.url)))).toEqual({ account: '111122223333', region })
})
