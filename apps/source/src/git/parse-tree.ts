export interface TreeEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Object id, hex. */
  readonly id: string;
}

/** By the file mode. Source: gitformat-tree, "mode"; a submodule is none of these. */
const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '40000': 'directory',
  '100644': 'file',
  '100755': 'file',
  '100664': 'file',
  '120000': 'symlink',
};

/** The entries of a tree object: mode, name and the bytes of an id, which has as many as `treeId`. */
export function parseTree(bytes: Buffer, treeId: string): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const idLength = treeId.length / 2;
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const kind = KINDS[bytes.toString('latin1', at, space)] ?? 'other';
    entries.push({ name: bytes.toString('utf8', space + 1, end), kind, id: bytes.toString('hex', end + 1, end + 1 + idLength) });
    at = end + 1 + idLength;
  }
  return entries;
}
