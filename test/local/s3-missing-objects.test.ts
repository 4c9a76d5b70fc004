import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listers, readListers } from '../../local/s3/listers.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { readResources } from '../templates/test-template.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3, presignGet } from './local-s3.ts'

const listers: Listers = new Map([
  ['Lists', new Set([bucket])],
  ['ListsElsewhere', new Set(['another-bucket'])],
])

let s3: LocalS3
beforeAll(async () => {
  s3 = await openLocalS3(undefined, { listers })
})
afterAll(() => discardLocalS3(s3))

const clientOf = (arn: string) => s3.clientFor(s3.credentials.issue(arn, 3600, s3.clock.now))
const roleOf = (name: string) => `arn:aws:iam::000000000000:role/${name}`

async function fetchMissing(arn: string): Promise<string> {
  const answer = await fetch(await presignGet(s3, { Key: 'missing' }, clientOf(arn)))
  return `${answer.status} ${/<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]}`
}

describe('a missing object', () => {
  it.each([
    ['a role without ListBucket', roleOf('Reads'), '403 AccessDenied'],
    ['its session', 'arn:aws:sts::000000000000:assumed-role/Reads/sign-downloads', '403 AccessDenied'],
    ['a role that may list another bucket', roleOf('ListsElsewhere'), '403 AccessDenied'],
    ['a role that may list this bucket', roleOf('Lists'), '404 NoSuchKey'],
    ['its session', 'arn:aws:sts::000000000000:assumed-role/Lists/copy', '404 NoSuchKey'],
  ])('gets a URL signed by %s the answer of AWS (%s): %s', async (_, arn, answer) => {
    expect(await fetchMissing(arn)).toBe(answer)
  })

  it('answers a HEAD of a role without ListBucket with 403', async () => {
    const head = clientOf(roleOf('Reads')).send(new HeadObjectCommand({ Bucket: bucket, Key: 'missing' }))
    await expect(head).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  it('answers the local user with 404', async () => {
    const head = s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'missing' }))
    await expect(head).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
  })
})

describe('the roles that may list a bucket', () => {
  it('come from the policies that allow it, with the buckets of all their statements', () => {
    const document = (Action: unknown, Resource: unknown, Effect = 'Allow') => ({
      Statement: [{ Effect, Action, Resource }],
    })
    const arn = { 'Fn::GetAtt': ['Results', 'Arn'] }
    const policy = (role: string, PolicyDocument: unknown) => ({
      Type: 'AWS::IAM::Policy',
      Properties: { Roles: [{ Ref: role }], PolicyDocument },
    })
    const template = readResources({
      Results: { Type: 'AWS::S3::Bucket' },
      Lists: { Type: 'AWS::IAM::Role' },
      Reads: { Type: 'AWS::IAM::Role' },
      One: policy('Lists', document('s3:ListBucket', arn)),
      Two: policy('Lists', document(['s3:GetObject', 's3:ListBucket'], [arn, 'arn:aws:s3:::other'])),
      Three: policy('Reads', document(['s3:GetObject'], arn)),
      Four: policy('Reads', document('s3:ListBucket', arn, 'Deny')),
    })
    const listers = readListers(template)
    expect(listers.get('Lists')).toEqual(new Set(['results', 'other']))
    expect(listers.get('Reads')).toEqual(new Set())
  })

  it('include the functions of the template that query and delete, but not the role that signs downloads', () => {
    const listers = readListers(readStackTemplate(connectEndpoints().assembly, 'SearchService'))
    const names = [...listers].filter(([, buckets]) => buckets.size > 0).map(([name]) => name)
    expect(names.some((name) => name.startsWith('StartQuery'))).toBe(true)
    expect(names.some((name) => name.startsWith('DeleteSearch'))).toBe(true)
    expect(names.filter((name) => name.startsWith('SignDownloads'))).toEqual([])
  })
})
