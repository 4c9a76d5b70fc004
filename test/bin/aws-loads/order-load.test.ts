import { describe, expect, it } from 'vitest'
import { describeOnAws } from '../../../bin/aws-loads/describe-quotas.ts'
import { readAwsWorkers } from '../../../bin/aws-loads/load-commands.ts'
import type { AwsLoads } from '../../../bin/aws-loads/open-aws-loads.ts'
import { orderLoad, refuseLocalSources } from '../../../bin/aws-loads/order-load.ts'

const fetching = { userAgent: 'acme', connections: 4, allowPrivateAddresses: false }

describe('an order of a load on AWS', () => {
  it('contains the options of the command and the signed URL, and nothing of this machine', () => {
    const toc = 'https://payer.example/index.json?X-Amz-Signature=s'
    const request = {
      files: [],
      toc,
      fileMap: undefined,
      partial: true,
      allowOlder: true,
      maxFailed: 0.1,
      plan: 'Gold',
    }
    expect(orderLoad({ ...request, ...fetching, filter: { id: 'f1' } })).toEqual({
      toc,
      files: [],
      partial: true,
      allowOlder: true,
      maxFailed: 0.1,
      plan: 'Gold',
      filterId: 'f1',
      userAgent: 'acme',
      connections: 4,
      allowPrivateAddresses: false,
    })
  })

  it('cannot have a table of contents and files', () => {
    const request = { files: ['https://payer.example/a.json'], toc: 'https://payer.example/index.json' }
    expect(() => orderLoad({ ...request, ...fetching })).toThrow('must have either toc, or files')
  })

  it('names everything that workers cannot read', () => {
    expect(() =>
      refuseLocalSources(['a.json', 'https://payer.example/b.json', '-'], { fetch: true, create: true }),
    ).toThrow(
      '--on aws loads what https URLs name: workers cannot read a.json, - of this machine; --fetch, --create only applies to files of this machine',
    )
  })
})

const loads = {
  stage: 'prod',
  maxWorkers: 40,
  worker: { vcpus: 2, memoryGib: 4, scratchGib: 50, architecture: 'arm64' },
} as const

describe('workers of a load on AWS', () => {
  const read = (text: string | undefined, maxWorkers = 40) =>
    readAwsWorkers(text, { ...loads, maxWorkers } satisfies Pick<AwsLoads, 'stage' | 'maxWorkers'>)

  it('number ten unless the stage allows fewer, or as many as requested', () => {
    expect([read(undefined), read(undefined, 4), read('40')]).toEqual([10, 4, 40])
  })

  it.each(['1', '41', 'many', '2.5'])('cannot be %s', (text) => {
    expect(() => read(text)).toThrow(/from 2 to 40 \(loads\.maxWorkers of the stage prod\)/)
  })
})

describe('a dry run on AWS', () => {
  const file = (name: string, gigabytes: number, outcome: 'new' | 'unchanged' = 'new') =>
    ({ file: name, bytes: gigabytes * 1e9, outcome }) as const
  const describeWith = (spot: number | undefined, onDemand: number, files = [file('a.json.gz', 13)]) =>
    describeOnAws({ expectedSeconds: 36_000, files }, 20, loads, async (name) =>
      name === 'fargateSpot' ? spot : onDemand,
    )

  it('says that all workers fit into the quotas, and what the load would cost', async () => {
    expect(await describeWith(4000, 100)).toBe(
      [
        'On AWS: 20 workers of 2 vCPUs and 4 GiB, 40 vCPUs; the stage allows 40 workers',
        'Quotas of Fargate in this account and region: 4000 vCPUs of Spot, 100 On-Demand: all 20 fit, if nothing else uses them',
        'About 200.7 hours of workers: $6.43 (all on Spot) to $17.52 (none), calculated with prices of us-east-1',
      ].join('\n'),
    )
  })

  it('names the largest file to read if it may not fit on the disk of a worker', async () => {
    const files = [file('a.json.gz', 1), file('c.json.gz', 90, 'unchanged'), file('b.json.gz', 30)]
    expect((await describeWith(4000, 100, files)).split('\n').at(-1)).toBe(
      "The largest file may need 112 GiB of a worker's disk, which has 50 (loads.scratchGib of the stage, at most 200): b.json.gz",
    )
  })

  it('says how many fit if the quotas are too small, and where to raise them', async () => {
    expect(await describeWith(6, 6)).toContain(
      '6 of 20 workers fit at a time, the others wait: raise the quotas (Service Quotas, AWS Fargate)',
    )
  })

  it('says the costs also if the quotas may not be read', async () => {
    const lines = (await describeWith(undefined, 100)).split('\n')
    expect(lines[1]).toBe(
      'Quotas of Fargate in this account and region: unknown vCPUs of Spot, 100 On-Demand: unknown whether they fit (needs servicequotas:GetServiceQuota)',
    )
    expect(lines[2]).toContain('About 200.7 hours of workers')
  })
})
