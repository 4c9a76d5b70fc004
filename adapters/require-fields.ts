/** An answer of AWS whose named fields are known to be there. */
type WithFields<Answer, Name extends keyof Answer> = Answer & { readonly [Field in Name]-?: NonNullable<Answer[Field]> }

/**
 * Asserts that an answer has the fields that AWS documents as always present. The SDK's types call each field optional;
 * a default in place of a missing one would be taken for a real name, size or time.
 *
 * @param service the name of the service, for the error
 * @throws TypeError naming the first field that is missing
 */
export function requireFields<Answer extends object, const Name extends keyof Answer & string>(
  answer: Answer,
  names: readonly Name[],
  service: string,
): asserts answer is WithFields<Answer, Name> {
  const missing = names.find((name) => answer[name] === undefined || answer[name] === null)
  if (missing !== undefined) throw new TypeError(`${service} gave an answer without ${missing}`)
}
