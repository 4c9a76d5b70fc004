import { EC2Client } from '@aws-sdk/client-ec2'
import { GlueClient } from '@aws-sdk/client-glue'
import { describe, expect, it } from 'vitest'
import { listZones } from '../../adapters/ec2-zones.ts'
import { readCatalogEncryption } from '../../adapters/glue-catalog.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

describe('the encryption of the data catalog', () => {
  const read = async (status: number, answer: object) => {
    await using glue = await startHttpStub(() => ({ status, body: JSON.stringify(answer) }))
    const encryption = await readCatalogEncryption(new GlueClient(sdkSettings(glue.url)))
    expect(glue.calls.map(({ operation }) => operation)).toEqual(['GetDataCatalogEncryptionSettings'])
    return encryption
  }

  it('contains the mode and the key, and leaves out passwords of connections', async () => {
    const ConnectionPasswordEncryption = { ReturnConnectionPasswordEncrypted: true, AwsKmsKeyId: 'other' }
    const EncryptionAtRest = { CatalogEncryptionMode: 'SSE-KMS', SseAwsKmsKeyId: 'alias/catalog' }
    expect(
      await read(200, { DataCatalogEncryptionSettings: { EncryptionAtRest, ConnectionPasswordEncryption } }),
    ).toEqual({ mode: 'SSE-KMS', key: 'alias/catalog' })
  })

  it('counts as unknown without the right or without an answer', async () => {
    expect(await read(400, { __type: 'AccessDeniedException', message: 'no' })).toBeUndefined()
    expect(await read(200, {})).toBeUndefined()
  })
})

describe('the zones of a region', () => {
  it('come in the order of their names, and only those that the account can use', async () => {
    const item = (name: string, id: string) => `<item><zoneName>${name}</zoneName><zoneId>${id}</zoneId></item>`
    const info = [item('us-east-1b', 'use1-az1'), item('us-east-1a', 'use1-az3')].join('')
    const body = `<DescribeAvailabilityZonesResponse><availabilityZoneInfo>${info}</availabilityZoneInfo></DescribeAvailabilityZonesResponse>`
    await using ec2 = await startHttpStub(() => ({ status: 200, body, headers: { 'content-type': 'text/xml' } }))
    expect(await listZones(new EC2Client(sdkSettings(ec2.url)))).toEqual([
      { name: 'us-east-1a', id: 'use1-az3' },
      { name: 'us-east-1b', id: 'use1-az1' },
    ])
    expect(decodeURIComponent(ec2.calls.map((call) => call.body).join())).toMatch(
      /Action=DescribeAvailabilityZones&.*Filter\.1\.Name=zone-type&Filter\.1\.Value\.1=availability-zone&Filter\.2\.Name=state&Filter\.2\.Value\.1=available/,
    )
  })
})
