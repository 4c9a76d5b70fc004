import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { STSClient } from '@aws-sdk/client-sts'
import { expect, it } from 'vitest'
import { readCaller } from '../../adapters/caller.ts'
import { quotas, readQuota } from '../../adapters/service-quotas.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

it.each(Object.entries(quotas))('the quota %s is read by its service and code', async (name, { service, code }) => {
  await using stub = await startHttpStub(() => ({ status: 200, body: JSON.stringify({ Quota: { Value: 12 } }) }))
  const known = Object.keys(quotas).find((each): each is keyof typeof quotas => each === name) ?? 'fargateSpot'
  expect(await readQuota(known, new ServiceQuotasClient(sdkSettings(stub.url)))).toBe(12)
  expect(stub.calls.map(({ body }) => JSON.parse(body))).toEqual([{ ServiceCode: service, QuotaCode: code }])
})

it('a quota that may not be read, or has no value, is unknown and ends nothing', async () => {
  const refused = { status: 400, body: JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }) }
  for (const answer of [refused, { status: 200, body: '{}' }]) {
    await using stub = await startHttpStub(() => answer)
    expect(await readQuota('athenaMinutes', new ServiceQuotasClient(sdkSettings(stub.url)))).toBeUndefined()
  }
})

it('the caller is the account of the credentials, in the region of the settings', async () => {
  const result = '<GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>'
  const body = `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`
  await using sts = await startHttpStub(() => ({ status: 200, body }))
  const { region } = sdkSettings(sts.url)
  expect(await readCaller(new STSClient(sdkSettings(sts.url)))).toEqual({ account: '111122223333', region })
})
