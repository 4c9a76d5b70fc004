import { s3Namespace, sendXml } from '../answer.ts'
import { requireBucket, type S3Call } from '../call.ts'
import { receiveText } from '../received-body.ts'
import { malformedXml, parentElement, splitElements, textElement, textOf } from '../xml.ts'

const maxKeys = 1000
const maxBodyBytes = 8 * 1024 * 1024

/**
 * Deletes up to 1,000 objects.
 * Source: Amazon S3 API Reference, DeleteObjects.
 */
export async function deleteObjects(call: S3Call): Promise<void> {
  requireBucket(call)
  const document = await receiveText(call, maxBodyBytes)
  const keys = splitElements(document, 'Object').map((object) => textOf(object, 'Key'))
  if (keys.length === 0 || keys.length > maxKeys) throw malformedXml()
  for (const key of keys) call.store.remove(call.bucket, key)
  const isQuiet = /<Quiet>\s*true\s*<\/Quiet>/.test(document)
  const deleted = isQuiet ? [] : keys.map((key) => parentElement('Deleted', [textElement('Key', key)]))
  sendXml(call.response, 200, parentElement('DeleteResult', deleted, s3Namespace))
}
