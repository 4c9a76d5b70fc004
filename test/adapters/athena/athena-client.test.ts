import { expect, it } from 'vitest'
import { connectAthenaAs } from '../../../adapters/athena/athena-client.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { signingRoleArn, environment } = connectEndpoints()

it('Athena is called with the credentials of the role, not with the own ones', async () => {
  const credentials = await (await connectAthenaAs(signingRoleArn)).config.credentials()
  expect(credentials).toMatchObject({ sessionToken: expect.any(String), secretAccessKey: expect.any(String) })
  expect(credentials.accessKeyId).not.toBe(environment['AWS_ACCESS_KEY_ID'])
})

it('a role that may not be assumed is named with the missing permission', async () => {
  await expect(connectAthenaAs('no-role')).rejects.toMatchObject({
    message: 'you cannot act as no-role: your own identity needs sts:AssumeRole on it',
    cause: expect.any(Error),
  })
})
