import { expect, it } from 'vitest'
import { connectAthenaAs } from '../../../adapters/athena/athena-client.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { signingRoleArn, environment } = connectEndpoints()

it('calls Athena with the credentials of the role, not with those of the process', async () => {
  const credentials = await (await connectAthenaAs(signingRoleArn)).config.credentials()
  expect(credentials).toMatchObject({ sessionToken: expect.any(String), secretAccessKey: expect.any(String) })
  expect(credentials.accessKeyId).not.toBe(environment['AWS_ACCESS_KEY_ID'])
})

it('names a role that may not be assumed, and the missing permission', async () => {
  await expect(connectAthenaAs('no-role')).rejects.toMatchObject({
    message: 'you cannot act as no-role: your own identity needs sts:AssumeRole on it',
    cause: expect.any(Error),
  })
})
