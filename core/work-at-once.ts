/**
 * Works on members, at most `width` at a time. After a failure no further member is begun, and the first error is
 * thrown once every member that was begun has ended.
 */
export async function workAtOnce<Member>(
  members: Iterable<Member>,
  width: number,
  work: (member: Member) => Promise<unknown>,
): Promise<void> {
  const queue = Iterator.from(members)
  const errors: unknown[] = []
  const workNext = async (): Promise<void> => {
    while (errors.length === 0) {
      const next = queue.next()
      if (next.done) return
      try {
        await work(next.value)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: width }, workNext))
  if (errors.length > 0) throw errors[0]
}

/**
 * Works on members as `workAtOnce`.
 *
 * @returns the results, in the order of the members
 */
export async function mapAtOnce<Member, Result>(
  members: readonly Member[],
  width: number,
  work: (member: Member) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  await workAtOnce(members.entries(), width, async ([index, member]) => {
    results[index] = await work(member)
  })
  return results
}
