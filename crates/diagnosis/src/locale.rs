//! Messages of compilers, linkers, shells and make in other languages, put into English before the rows see them.
//!
//! The table has the messages that name a cause or say that there is an error, no more: what is quoted stays as it was
//! written.

use std::{borrow::Cow, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

/// What a message says elsewhere, and what it says in English.
pub(crate) const PHRASES: &[(&str, &str)] = &[
    // German.
    ("schwerwiegender Fehler: ", "fatal error: "),
    ("Fehler: ", "error: "),
    ("] Fehler ", "] Error "),
    ("Datei oder Verzeichnis nicht gefunden", "No such file or directory"),
    ("Kommando nicht gefunden", "command not found"),
    ("Befehl nicht gefunden", "command not found"),
    ("nicht definierter Verweis auf ", "undefined reference to "),
    ("Keine Regel vorhanden, um das Ziel ", "No rule to make target "),
    ("Keine Regel, um ", "No rule to make target "),
    (
        "implizite Deklaration der Funktion ",
        "implicit declaration of function ",
    ),
    (
        "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
        "No space left on device",
    ),
    ("Keine Berechtigung", "Permission denied"),
    // French.
    ("erreur fatale : ", "fatal error: "),
    ("erreur fatale: ", "fatal error: "),
    ("erreur : ", "error: "),
    ("erreur: ", "error: "),
    ("] Erreur ", "] Error "),
    (" : Aucun fichier ou dossier de ce type", ": No such file or directory"),
    (": Aucun fichier ou dossier de ce type", ": No such file or directory"),
    (" : commande introuvable", ": command not found"),
    (": commande introuvable", ": command not found"),
    ("référence indéfinie vers ", "undefined reference to "),
    ("Aucune règle pour fabriquer la cible ", "No rule to make target "),
    ("Pas de règle pour fabriquer la cible ", "No rule to make target "),
    (
        "déclaration implicite de la fonction ",
        "implicit declaration of function ",
    ),
    ("Aucun espace disponible sur le périphérique", "No space left on device"),
    ("Permission non accordée", "Permission denied"),
    // Spanish.
    ("error fatal: ", "fatal error: "),
    ("No existe el fichero o el directorio", "No such file or directory"),
    ("No existe el archivo o el directorio", "No such file or directory"),
    ("orden no encontrada", "command not found"),
    ("no se encontró la orden", "command not found"),
    (
        "No hay ninguna regla para construir el objetivo ",
        "No rule to make target ",
    ),
    ("No queda espacio en el dispositivo", "No space left on device"),
    // Italian.
    ("errore fatale: ", "fatal error: "),
    ("errore: ", "error: "),
    ("] Errore ", "] Error "),
    ("File o directory non esistente", "No such file or directory"),
    ("comando non trovato", "command not found"),
    ("riferimento non definito a ", "undefined reference to "),
    ("Nessuna regola per generare l'obiettivo ", "No rule to make target "),
    // Portuguese.
    ("erro fatal: ", "fatal error: "),
    ("erro: ", "error: "),
    ("] Erro ", "] Error "),
    ("Arquivo ou diretório inexistente", "No such file or directory"),
    ("Ficheiro ou directoria inexistente", "No such file or directory"),
    ("comando não encontrado", "command not found"),
    ("referência não definida para ", "undefined reference to "),
    ("Sem regra para processar o alvo ", "No rule to make target "),
    // Polish.
    ("błąd krytyczny: ", "fatal error: "),
    ("błąd: ", "error: "),
    ("] Błąd ", "] Error "),
    ("Nie ma takiego pliku ani katalogu", "No such file or directory"),
    ("nie znaleziono polecenia", "command not found"),
    ("niezdefiniowane odwołanie do ", "undefined reference to "),
    ("Brak reguł do wykonania obiektu ", "No rule to make target "),
    // Russian.
    ("фатальная ошибка: ", "fatal error: "),
    ("ошибка: ", "error: "),
    ("] Ошибка ", "] Error "),
    ("Нет такого файла или каталога", "No such file or directory"),
    ("команда не найдена", "command not found"),
    ("неопределённая ссылка на ", "undefined reference to "),
    ("неопределенная ссылка на ", "undefined reference to "),
    ("Нет правила для сборки цели ", "No rule to make target "),
    // Japanese.
    ("致命的エラー: ", "fatal error: "),
    ("エラー: ", "error: "),
    ("] エラー ", "] Error "),
    (
        "そのようなファイルやディレクトリはありません",
        "No such file or directory",
    ),
    ("コマンドが見つかりません", "command not found"),
    // Chinese.
    ("致命错误：", "fatal error: "),
    ("致命错误: ", "fatal error: "),
    ("错误：", "error: "),
    ("错误: ", "error: "),
    ("] 错误 ", "] Error "),
    ("：没有那个文件或目录", ": No such file or directory"),
    ("没有那个文件或目录", "No such file or directory"),
    ("未找到命令", "command not found"),
    ("没有规则可制作目标", "No rule to make target "),
    // Korean.
    ("치명적인 오류: ", "fatal error: "),
    ("오류: ", "error: "),
    ("] 오류 ", "] Error "),
    ("그런 파일이나 디렉터리가 없습니다", "No such file or directory"),
    ("명령을 찾을 수 없음", "command not found"),
];

/// Messages whose words stand in another order, with a mark of each.
const REORDERED: &[(&str, &str, &str)] = &[
    (
        "に対する定義されていない参照",
        r"'([^']+)'\s*に対する定義されていない参照(?:です)?",
        "undefined reference to '$1'",
    ),
    (
        "未定义的引用",
        r"对\s*'([^']+)'\s*未定义的引用",
        "undefined reference to '$1'",
    ),
    (
        "sin definir",
        r"referencia a '([^']+)' sin definir",
        "undefined reference to '$1'",
    ),
    ("nicht finden", r"kann (-l\S+) nicht finden", "cannot find $1"),
    (
        "するルールがありません",
        r"ターゲット '([^']+)' を make するルールがありません",
        "No rule to make target '$1'",
    ),
];

/// Texts one of which stands in every message of the table.
pub(crate) fn marks() -> impl Iterator<Item = &'static str> {
    PHRASES
        .iter()
        .map(|(phrase, _)| phrase.trim())
        .chain(REORDERED.iter().map(|(mark, _, _)| *mark))
}

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(PHRASES.iter().map(|(phrase, _)| phrase))
        .ok()
});

static ORDERS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    REORDERED
        .iter()
        .filter_map(|(_, pattern, english)| Some((Regex::new(pattern).ok()?, *english)))
        .collect()
});

/// The line in English, when it is in another language that is known here.
pub(crate) fn english(text: &str) -> Option<String> {
    let search = SEARCH.as_ref()?;
    let mut out = None;
    if search.is_match(text) {
        let english: Vec<&str> = PHRASES.iter().map(|(_, english)| *english).collect();
        out = Some(search.replace_all(text, &english));
    }
    for ((mark, _, _), (pattern, english)) in REORDERED.iter().zip(ORDERS.iter()) {
        if text.contains(mark)
            && let Cow::Owned(changed) = pattern.replace(out.as_deref().unwrap_or(text), *english)
        {
            out = Some(changed);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_put_into_english() {
        assert_eq!(ORDERS.len(), REORDERED.len());
        for (text, expected) in [
            (
                "a.c:1:10: schwerwiegender Fehler: zlib.h: Datei oder Verzeichnis nicht gefunden",
                "a.c:1:10: fatal error: zlib.h: No such file or directory",
            ),
            (
                "a.c:1:10: erreur fatale : zlib.h : Aucun fichier ou dossier de ce type",
                "a.c:1:10: fatal error: zlib.h: No such file or directory",
            ),
            (
                "a.c:1:10: 致命的エラー: zlib.h: そのようなファイルやディレクトリはありません",
                "a.c:1:10: fatal error: zlib.h: No such file or directory",
            ),
            (
                "make: *** [Makefile:2: all] Fehler 1",
                "make: *** [Makefile:2: all] Error 1",
            ),
            (
                "ld: a.o: 'foo' に対する定義されていない参照です",
                "ld: a.o: undefined reference to 'foo'",
            ),
            ("ld: kann -lfoo nicht finden", "ld: cannot find -lfoo"),
        ] {
            assert_eq!(english(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(
            english("a.c:1:10: fatal error: zlib.h: No such file or directory"),
            None
        );
    }
}
