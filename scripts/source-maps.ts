/** Makes the maps of a build lead to `src` in the package, wherever the build was written. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

interface SourceMap {
  sources: string[];
  sourcesContent?: (string | null)[];
}

/** Where a map was written: its path, the folder of the build around it, and the folder of the package that was built. */
interface MapPlace {
  path: string;
  dist: string;
  source: string;
}

/**
 * The sources as paths from the map's place in the package. Their text is left out, because the package contains the
 * files; the sources of other packages go by their names and keep their text.
 */
export function relocateSources(map: SourceMap, { path, dist, source }: MapPlace): SourceMap {
  const toRoot = relative(dirname(path), dirname(dist)).replaceAll("\\", "/");
  const texts: (string | null)[] = [];
  const sources = map.sources.map((name, index) => {
    const file = relative(source, resolve(dirname(path), name)).replaceAll("\\", "/");
    const [, foreign] = /^.*\bnode_modules\/(.*)$/.exec(file) ?? [];
    const text = map.sourcesContent?.[index] ?? null;
    const isFound = foreign === undefined ? file.startsWith("src/") : text !== null;
    if (!isFound) throw new Error(`${path} leads out of the package's sources, to ${file}`);
    texts.push(foreign === undefined ? null : text);
    return foreign ?? `${toRoot}/${file}`;
  });
  const { sourcesContent: _, ...rest } = map;
  return { ...rest, sources, ...(texts.some((text) => text !== null) && { sourcesContent: texts }) };
}

/** Does this to every map of a build. */
export async function relocateMaps(dist: string, source: string): Promise<void> {
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".map"));
  await Promise.all(
    files.map(async (name) => {
      const path = join(dist, name);
      const map = relocateSources(JSON.parse(await readFile(path, "utf8")), { path, dist, source });
      await writeFile(path, JSON.stringify(map));
    }),
  );
}
